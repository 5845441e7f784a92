# SectileMachines.cmake - embeds the described machines in the library.
include(SectileEmbed)

# sectile_embed_machines(SOURCE NAME...) writes, when CMake runs, a C file with each name and the text
# of machines/NAME.json.
function(sectile_embed_machines source)
    set(texts)
    set(entries)
    foreach(name IN LISTS ARGN)
        set(file ${PROJECT_SOURCE_DIR}/machines/${name}.json)
        sectile_bytes_of(${file} bytes)
        string(APPEND texts "static const char ${name}[] = {\n    ${bytes}0};\n")
        string(APPEND entries "    {\"${name}\", ${name}},\n")
    endforeach()
    list(LENGTH ARGN count)
    file(CONFIGURE OUTPUT ${source} CONTENT "/* The files in machines/. */
#include \"machine/embedded.h\"

${texts}
const sct_embedded_machine sct_embedded[] = {
${entries}};
const int sct_embedded_count = ${count};
" @ONLY)
endfunction()
