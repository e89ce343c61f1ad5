# Packages the block for Vivado: vivado -mode batch -source package.tcl
set here [file dirname [file normalize [info script]]]
create_project -in_memory -part xc7z020clg400-1
add_files [file join $here rtl @name@.sv]
set_property top @name@ [current_fileset]
ipx::package_project -root_dir [file join $here vivado] -vendor user -library allo -taxonomy /UserIP -import_files
set core [ipx::current_core]
set_property name @name@ $core
set_property version 1.0 $core
foreach interface {@buses@} {
    ipx::associate_bus_interfaces -busif $interface -clock ap_clk $core
}
@memory_maps@
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity $core
ipx::save_core $core
