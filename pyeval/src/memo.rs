//! Results of functions that `functools.cache` and `lru_cache` decorate, kept by their arguments.

use crate::equality::hashable;
use crate::library::builtins::type_of;
use crate::value::{Args, Memo, Result, Value};

impl Memo {
    /// Without results.
    pub fn new(typed: bool) -> Memo {
        Memo {
            typed,
            ..Memo::default()
        }
    }

    /// The result for the arguments: the one that is kept, or else that of the function, which is kept from now on.
    ///
    /// # Errors
    /// When an argument has no hash, or the function fails.
    pub fn result(&self, args: Args, run: impl FnOnce(Args) -> Result<Value>) -> Result<Value> {
        let told = self.told(&args);
        let key = hashable(&told, args.span)?;
        if let Some((_, known)) = self.results.borrow().get(&key) {
            return Ok(known.clone());
        }
        let value = run(args)?;
        let kept = (told, value.clone());
        self.results.borrow_mut().insert(key, kept);
        Ok(value)
    }

    /// What tells arguments from others, as in Python: an int or a string alone is not equal to a float or a bool.
    fn told(&self, args: &Args) -> Value {
        if let ([alone @ (Value::Int(_) | Value::Str(_))], []) =
            (&args.positional[..], &args.named[..])
        {
            return alone.clone();
        }
        let named = args.named.iter();
        let named = named.flat_map(|(name, value)| [Value::str(name), value.clone()]);
        let mut parts = vec![
            Value::tuple(args.positional.clone()),
            Value::tuple(named.collect()),
        ];
        if self.typed {
            let all = args.named.iter().map(|(_, value)| value);
            let types = args.positional.iter().chain(all).map(type_of);
            parts.push(Value::tuple(types.collect()));
        }
        Value::tuple(parts)
    }
}
