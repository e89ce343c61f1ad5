//! The archive of an `.npz` file: members by name, stored or deflated.

use rawzip::{CompressionMethod, ZipArchive, ZipArchiveWriter, ZipSliceArchive};
use std::io::{self, Read, Write};

/// An archive whose list of members has been read.
pub struct Archive<'a> {
    file: ZipSliceArchive<&'a [u8]>,
    members: Vec<Member>,
}

struct Member {
    name: String,
    method: CompressionMethod,
    place: rawzip::ZipArchiveEntryWayfinder,
}

impl<'a> Archive<'a> {
    /// Reads the list of members.
    pub fn new(bytes: &'a [u8]) -> Result<Archive<'a>, rawzip::Error> {
        let file = ZipArchive::from_slice(bytes)?;
        let members = file.entries().map(|entry| {
            entry.map(|entry| Member {
                name: String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned(),
                method: entry.compression_method(),
                place: entry.wayfinder(),
            })
        });
        let members = members.collect::<Result<_, _>>()?;
        Ok(Archive { file, members })
    }

    /// The names of all members.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    /// The contents of a member, which may claim to be far longer than the `most` bytes that anybody needs.
    pub fn member(&self, name: &str, most: usize) -> Result<Vec<u8>, String> {
        let member = self.members.iter().find(|member| member.name == name);
        let member = member.ok_or("is missing")?;
        let unreadable = |why: String| format!("cannot be read: {why}");
        let entry = self.file.get_entry(member.place);
        let entry = entry.map_err(|e| unreadable(e.to_string()))?;
        let inflated = match member.method {
            CompressionMethod::STORE => entry.data().to_vec(),
            CompressionMethod::DEFLATE => {
                miniz_oxide::inflate::decompress_to_vec_with_limit(entry.data(), most)
                    .map_err(|e| unreadable(e.to_string()))?
            }
            other => return Err(unreadable(format!("its compression is {other}"))),
        };
        let mut contents = Vec::new();
        let mut verified = entry.verifying_reader(&inflated[..]);
        let read = verified.read_to_end(&mut contents);
        read.map_err(|e| unreadable(e.to_string()))?;
        Ok(contents)
    }
}

/// The text of an archive of members with their contents.
pub fn write<'m>(
    members: impl IntoIterator<Item = (&'m str, &'m [u8])>,
) -> Result<Vec<u8>, rawzip::Error> {
    let mut archive = ZipArchiveWriter::new(Vec::new());
    for (name, contents) in members {
        let deflated = miniz_oxide::deflate::compress_to_vec(contents, 6);
        let builder = archive.new_file(name);
        let (mut entry, config) = builder
            .compression_method(CompressionMethod::DEFLATE)
            .start()?;
        // Length and checksum are those of the contents.
        let mut measured = config.wrap(io::sink());
        measured.write_all(contents)?;
        let (_, descriptor) = measured.finish()?;
        entry.write_all(&deflated)?;
        entry.finish(descriptor)?;
    }
    archive.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive() -> Vec<u8> {
        let members = [("a.npy", &[7; 1000][..]), ("b.npy", &[1, 2, 3])];
        write(members).unwrap()
    }

    #[test]
    fn what_is_written_reads_back() {
        let bytes = archive();
        let read = Archive::new(&bytes).unwrap();
        assert!(read.names().eq(["a.npy", "b.npy"]));
        assert_eq!(read.member("a.npy", 1000), Ok(vec![7; 1000]));
        assert_eq!(read.member("b.npy", 1000), Ok(vec![1, 2, 3]));
        assert_eq!(read.member("c.npy", 1000), Err("is missing".into()));
    }

    #[test]
    fn what_is_longer_than_it_may_be_or_damaged_is_refused() {
        let mut bytes = archive();
        let read = Archive::new(&bytes).unwrap();
        assert!(read.member("a.npy", 999).is_err());
        // The first byte of the second member's contents, of which the name stands before it and in the list.
        let name = bytes.windows(5).position(|w| w == b"b.npy").unwrap();
        bytes[name + 6] ^= 0x10;
        let read = Archive::new(&bytes).unwrap();
        assert_eq!(read.member("a.npy", 1000), Ok(vec![7; 1000]));
        assert!(read.member("b.npy", 1000).is_err());
        assert!(Archive::new(b"nonsense").is_err());
    }

    /// As Python's `zipfile.ZipFile(file, "w").writestr("x.npy", b"hi")` writes it.
    #[test]
    fn stored_members_are_read() {
        let crc = 0xd893_2aac_u32.to_le_bytes();
        let sizes = [crc, 2u32.to_le_bytes(), 2u32.to_le_bytes()].concat();
        let common = [&[20, 0, 0, 0, 0, 0, 0, 0, 33, 0][..], &sizes, &[5, 0, 0, 0]].concat();
        let local = [&b"PK\x03\x04"[..], &common, b"x.npy", b"hi"].concat();
        let listed = [&b"PK\x01\x02\x14\x03"[..], &common, &[0; 14], b"x.npy"].concat();
        let place = [listed.len() as u32, local.len() as u32].map(u32::to_le_bytes);
        let end = [
            &b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..],
            &place.concat(),
            &[0; 2],
        ]
        .concat();
        let bytes = [local, listed, end].concat();
        let read = Archive::new(&bytes).unwrap();
        assert_eq!(read.member("x.npy", 10), Ok(b"hi".to_vec()));
    }
}
