#!/bin/sh
# layers.sh - checks that C files include only what the architecture allows, and lists each include
# that it does not allow.
#
# A row of the table is: a folder | what its files may include, besides their own folder and the public
# headers | the reason or the job of the folder.
set -eu
cd "$(dirname "$0")/.."

table='
src/base           |  | status, sizes, types; without distributed matrices
src/layout         | base | index arithmetic, without products, memory or communication
src/machine        | base | describes hardware; of a product it uses types and dimensions only
src/plan           | base layout machine | the steps of one rank, as decided; which links are near depends on the machine
src/order          | base machine plan | orders the steps of a plan to suit a machine
src/cost           | base layout machine plan | estimates the time of a plan, or of three layouts, on a machine
src/sim            | base layout machine plan | runs the plans of all ranks in virtual time
src/planner        | base layout machine plan order cost sim | makes plans; compares estimated and simulated times, and calls for an order
src/forecast       | base layout machine plan planner sim | makes the plans of all ranks, and simulates them
src/choose         | base layout machine plan cost planner sim forecast | estimates all candidates, plans the best, simulates the finalists
src/products       | base layout machine plan cost planner sim forecast choose | groups of products that share matrices: their texts, gradients and layouts
src/fabric         | base | moves bytes; uses neither layouts nor plans
src/fabric/threads | base fabric | a fabric for threads
src/fabric/devices | base fabric fabric/threads device/device.h | a fabric for ranks whose memory is on devices
src/fabric/bounce  | base fabric device/device.h | moves pieces between a device and the host
src/fabric/device_processes | base fabric fabric/processes fabric/service fabric/bounce fabric/devices/common.h device/device.h | a fabric for processes whose memory is on devices
src/fabric/service | base fabric fabric/bounce device/device.h | gets and accumulates by messages, on any wire
src/fabric/sockets | base fabric fabric/service/wire.h | a wire on TCP
src/fabric/processes | base fabric fabric/service fabric/bounce fabric/sockets | a fabric for processes: shared memory on a node, the service between nodes
src/fabric/mpi     | base fabric fabric/processes fabric/service fabric/sockets | what MPI adds to it: how ranks meet, RMA, messages
src/launch         | base fabric/sockets | recognises launchers; connects the ranks of those that only say who they are
src/device         | base | computes local products; uses neither fabrics nor plans
src/device/opencl  | base device | a device by OpenCL
src/device/cuda    | base device | a device by CUDA
src/exec           | base layout plan fabric/fabric.h device/device.h | runs a plan on any fabric and any device
src/api            | base layout machine plan cost planner sim forecast choose products exec device fabric fabric/threads fabric/processes fabric/devices fabric/device_processes launch | the public interface, with the engines that need no other library
src/scalapack      | base/status.h base/hash.h base/clock.h base/memory.h base/library.h base/log.h base/setting.h base/c_locale.h | the drop-in for ScaLAPACK, on the public headers
src/api/mpi        | base device launch fabric/mpi api | the engine for MPI
src/api/opencl     | base device device/opencl fabric api | the engine for OpenCL
src/api/cuda       | base device device/cuda fabric api | the engine for CUDA
pictures           | src/base/c_locale.h | pictures of plans and simulations, on the public headers
cli/values         |  | numbers and elements, without flags or ranks
cli/print          | src/base/printable.h | messages and JSON; that header has all of its code in it
cli/output         | print | files that get their names when complete
cli/args           | values print output | parses arguments; runs nothing
cli/ranks          | values print args mpi | makes the ranks of this process, or connects those of several
cli/launch         | print args | starts processes as ranks, and keeps them; is none of them
cli/mpi            |  | a module for each MPI, loaded at run time
cli/files          | print output ranks | every rank reads and writes its share of a matrix
cli/run            | values print output args ranks | runs products on the ranks; checks and times them; keeps a file of measured ones
cli/draw           | print output args ranks pictures | draws plans and results
cli/measure        | values print args ranks run | measures this machine with single products and copies
cli/verbs          | values print output args ranks files run draw measure pictures | the verbs
cli                | values print output args ranks files run launch | main
bench              |  | programs that use public headers only
bench/paper        |  | the same
bench/peers        |  | the same
examples           |  | the same
python/native      | pictures | what the Python package needs beside the public headers
'

find src pictures cli bench examples python -name '*.[ch]' | sort | TABLE=$table xargs awk '
BEGIN {
    rows = split(ENVIRON["TABLE"], row, "\n")
    for (i = 1; i <= rows; i++)
        if (split(row[i], cell, "|") == 3) {
            gsub(/ /, "", cell[1])
            allowed[cell[1]] = cell[2]
        }
}

function exists(file,    line, found) {
    found = (getline line < file) >= 0
    close(file)
    return found
}

# The innermost folder of the table that contains a path.
function folder_of(path) {
    while (path != "" && !(path in allowed))
        if (!sub(/\/[^\/]*$/, "", path))
            return ""
    return path
}

# Finds an included path under src/ or cli/, in the folder of the including file, or
# from the top.
function find_include(path,    root, folder) {
    root = FILENAME
    sub(/\/.*/, "", root)
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
    if (exists(root "/" path))
        return root "/" path
    return exists(folder path) ? folder path : path ~ /^(pictures|src)\// && exists(path) ? path : ""
}

function is_allowed(folder, root, path,    words, count, i) {
    count = split(allowed[folder], words, " ")
    for (i = 1; i <= count; i++)
        if (path == root "/" words[i] || path == words[i] || folder_of(path) == root "/" words[i] ||
            folder_of(path) == words[i])
            return 1
    return 0
}

function may_include(path, quoted,    folder, root, found) {
    folder = folder_of(FILENAME)
    if (folder == "" || path ~ /\.\.\//)
        return 0
    if (path ~ /^sectile\//)
        return 1
    found = find_include(path)
    if (found == "")
        return !quoted
    root = folder
    sub(/\/.*/, "", root)
    return folder_of(found) == folder || is_allowed(folder, root, found)
}

/^[ \t]*#[ \t]*include/ {
    path = $0
    sub(/^[^<"]*[<"]/, "", path)
    sub(/[>"].*/, "", path)
    if (!may_include(path, $0 ~ /include[ \t]*"/)) {
        print FILENAME ":" FNR ": must not include " path
        bad = 1
    }
}

END { exit bad }
'
