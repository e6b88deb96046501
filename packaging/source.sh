# Sourced by build-deb and wheel.
# shellcheck shell=bash

# copy_source TREE FOLDER: the source as git sees it, new files too, or as the archive brought it.
copy_source() {
    mkdir "$2"
    if git -C "$1" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git -C "$1" ls-files -z --cached --others --exclude-standard | (cd "$1" && xargs -0 tar cf -) | tar xf - -C "$2"
    else
        cp -a "$1/." "$2"
    fi
}
