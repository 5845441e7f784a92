# SectileEmbed.cmake - embeds texts in a library.

# sectile_bytes_of(FILE VARIABLE) sets, in the caller's scope, the bytes of a file as elements of a C
# array, since C compilers need not accept long strings. CMake runs again when the file changes.
function(sectile_bytes_of file variable)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes ${bytes})
    string(REGEX REPLACE "(....................................................................................................)" "\\1\n    " bytes ${bytes})
    set(${variable} "${bytes}" PARENT_SCOPE)
endfunction()

# sectile_embed_texts(SOURCE HEADER [NAME FILE]...) writes, when CMake runs, a C file with the text of
# each file as an array of char, which the header declares.
function(sectile_embed_texts source header)
    set(texts)
    while(ARGN)
        list(POP_FRONT ARGN name file)
        sectile_bytes_of(${file} bytes)
        string(APPEND texts "const char ${name}[] = {\n    ${bytes}0};\n")
    endwhile()
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n\n${texts}" @ONLY)
endfunction()
