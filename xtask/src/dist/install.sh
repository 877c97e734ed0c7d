#!/bin/sh
# Installs autopilot for one user: verifies the checksum of the archive, unpacks it, and puts program, man pages and completions
# where shells and man look for them. What it installed it writes down, and --uninstall goes by that list.
set -eu
umask 022

record_path=share/autopilot/installed.txt

usage() {
    cat <<'END'
Installs autopilot from the folder this script lies in.

Usage: sh install.sh [--from PLACE] [--prefix DIR] [--force]
       sh install.sh --uninstall [--prefix DIR]

  --from PLACE   a folder, or an address such as https://example.org/autopilot, that holds
                 SHA256SUMS and the archives it names (default: the folder of this script)
  --prefix DIR   install below this folder (default: ~/.local)
  --force        where another file is in the way, put it aside as FILE.kept and go on
  --uninstall    take away what was installed below the prefix, and nothing else
  --help         this text

Exit codes: 0 done, 2 wrong usage or files, 6 this machine lacks something.
END
}

# fail CODE WHAT WHY FIX
fail() {
    printf 'error: %s\nwhy:   %s\nfix:   %s\n' "$2" "$3" "$4" >&2
    exit "$1"
}

say() {
    printf '%s\n' "$*"
}

has() {
    command -v "$1" >/dev/null 2>&1
}

read_arguments() {
    order=install
    from=
    prefix=
    force=no
    while [ $# -gt 0 ]; do
        case $1 in
            --help | -h) usage; exit 0 ;;
            --uninstall) order=uninstall ;;
            --force) force=yes ;;
            --from | --prefix)
                if [ $# -lt 2 ] || [ -z "$2" ]; then
                    fail 2 "$1 needs a value" "there is nothing to go by without it" "sh install.sh --help"
                fi
                if [ "$1" = --from ]; then from=$2; else prefix=$2; fi
                shift
                ;;
            *) fail 2 "\"$1\" is no option" "guessing could install to the wrong place" "sh install.sh --help" ;;
        esac
        shift
    done
    if [ -z "$prefix" ]; then
        if [ -z "${HOME:-}" ]; then
            fail 2 "HOME is not set" "the files go to ~/.local" "name a folder: sh install.sh --prefix DIR"
        fi
        prefix=$HOME/.local
    fi
    case $prefix in
        /*) ;;
        *) prefix=$PWD/$prefix ;;
    esac
    prefix=${prefix%/}
    record=$prefix/$record_path
}

need_tools() {
    if ! has sha256sum && ! has shasum && ! has openssl; then
        fail 6 "neither sha256sum, shasum nor openssl is installed" "what cannot be verified is not installed" \
            "install one of them, such as the package coreutils"
    fi
    for tool in tar gzip mktemp; do
        has "$tool" || fail 6 "$tool is not installed" "the archive is unpacked with it" "install $tool"
    done
}

sha256_of() {
    if has sha256sum; then
        sha256sum <"$1"
    elif has shasum; then
        shasum -a 256 <"$1"
    else
        openssl dgst -sha256 -r <"$1"
    fi | cut -d ' ' -f 1
}

# fetch NAME: brings a file of the place we install from into the work folder.
fetch() {
    case $from in
        *://*)
            if has curl; then
                curl --fail --silent --show-error --location --output "$work/$1" "$from/$1" && return
            elif has wget; then
                wget -q -O "$work/$1" "$from/$1" && return
            else
                fail 6 "neither curl nor wget is installed" "one of them fetches from an address" \
                    "install one, or download the files and name their folder: --from DIR"
            fi
            ;;
        *) cp "$from/$1" "$work/$1" && return ;;
    esac
    fail 2 "$1 cannot be had from $from" "nothing can be installed without it" \
        "name the folder or the address that holds SHA256SUMS: --from PLACE"
}

# What an archive for this machine has in its name.
name_machine() {
    case $(uname -s) in
        Linux) system=linux ;;
        Darwin) system=apple-darwin ;;
        *) fail 6 "there is no archive for $(uname -s)" "a program for another system does not run here" \
            "build it from the source: cargo install --path crates/autopilot" ;;
    esac
    case $(uname -m) in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) machine=$(uname -m) ;;
    esac
}

# Finds the archive for this machine in SHA256SUMS: its name and its checksum.
choose_archive() {
    archive=
    expected=
    while read -r sum name; do
        name=${name#\*}
        case $name in
            *[!A-Za-z0-9._-]*) continue ;;
            autopilot-*-"$machine"-*"$system"*.tar.gz) ;;
            *) continue ;;
        esac
        if [ -n "$archive" ]; then
            fail 2 "SHA256SUMS names $archive and $name" "only one of them can be meant" \
                "name a place with one archive for this machine: --from PLACE"
        fi
        archive=$name
        expected=$sum
    done <"$work/SHA256SUMS"
    if [ -z "$archive" ]; then
        fail 2 "SHA256SUMS of $from names no archive for $machine $system" \
            "a program for another machine does not run here" \
            "build it from the source: cargo install --path crates/autopilot"
    fi
}

# Nothing of the archive is looked at before this.
verify() {
    found=$(sha256_of "$work/$archive")
    if [ "$found" != "$expected" ]; then
        fail 2 "the checksum of $archive is $found, and SHA256SUMS says $expected" \
            "the file is damaged or is not the one that was published; nothing was installed" \
            "fetch both files again, and do not use this one"
    fi
}

# Where a file of the archive goes, below the prefix.
destination_of() {
    case $1 in
        autopilot) say bin/autopilot ;;
        man/man1/*) say "share/$1" ;;
        completions/autopilot.bash) say share/bash-completion/completions/autopilot ;;
        completions/_autopilot) say share/zsh/site-functions/_autopilot ;;
        completions/autopilot.fish) say share/fish/vendor_completions.d/autopilot.fish ;;
        *) say "share/doc/autopilot/${1##*/}" ;;
    esac
}

# Lists what will be installed: checksum, place below the prefix, path in the archive.
list_files() {
    tree=$work/${archive%.tar.gz}
    tar -xzf "$work/$archive" -C "$work" || fail 2 "$archive cannot be unpacked" \
        "its checksum is right, so this disk is full or this tar is too old" "make room in ${TMPDIR:-/tmp}"
    (cd "$tree" && find . -type f) | sed 's|^\./||' | sort >"$work/names"
    : >"$work/files"
    while read -r name; do
        say "$(sha256_of "$tree/$name") $(destination_of "$name") $name" >>"$work/files"
    done <"$work/names"
}

is_recorded() {
    [ -f "$record" ] && grep -Fxq "file $1 $2" "$record"
}

# Whether a file is there that is neither an earlier version of ours nor the same already.
is_in_the_way() {
    there=$prefix/$2
    [ -e "$there" ] || [ -L "$there" ] || return 1
    if [ -f "$there" ] && [ ! -L "$there" ]; then
        there_sum=$(sha256_of "$there")
        [ "$there_sum" != "$1" ] || return 1
        ! is_recorded "$there_sum" "$2" || return 1
    fi
}

refuse_what_is_in_the_way() {
    foreign=
    while read -r sum place _; do
        if is_in_the_way "$sum" "$place"; then
            foreign="$foreign $prefix/$place"
        fi
    done <"$work/files"
    if [ -n "$foreign" ] && [ "$force" = no ]; then
        fail 2 "these files are there and were not installed by this script, or were changed since:$foreign" \
            "they may be yours, so nothing was installed" \
            "move them away, or let them be kept beside the new ones: --force"
    fi
}

put_aside() {
    kept=$1.kept
    number=1
    while [ -e "$kept" ] || [ -L "$kept" ]; do
        number=$((number + 1))
        kept=$1.kept.$number
    done
    mv "$1" "$kept"
    say "kept what was there: $kept"
}

cannot_write() {
    fail 6 "$1 cannot be written" "some files may be new and others old" \
        "make it writable for you or choose another place with --prefix DIR, then install again"
}

# make_folder PATH: below the prefix; folders that were not there are written down.
make_folder() {
    [ ! -d "$prefix/$1" ] || return 0
    case $1 in
        */*) make_folder "${1%/*}" ;;
        .) ;;
        *) make_folder . ;;
    esac
    if [ "$1" = . ]; then
        mkdir -p "$prefix" || cannot_write "$prefix"
    else
        mkdir "$prefix/$1" || cannot_write "$prefix/$1"
    fi
    say "dir $1" >>"$work/folders"
}

# write_record [EARLIER]: what is installed; while files are being replaced, the earlier ones as well, so that a script that is
# cut off still knows all of them for its own.
write_record() {
    {
        say "# What install.sh of autopilot put here. Its --uninstall goes by this list."
        say "archive ${archive%.tar.gz}"
        cat "$work/folders"
        while read -r sum place _; do
            say "file $sum $place"
        done <"$work/files"
        [ $# -eq 0 ] || cat "$1"
    } >"$work/record"
    cp "$work/record" "$record.new" || cannot_write "$record"
    mv -f "$record.new" "$record" || cannot_write "$record"
}

copy_files() {
    while read -r sum place name; do
        make_folder "${place%/*}"
        ! is_in_the_way "$sum" "$place" || put_aside "$prefix/$place"
        pending=$prefix/$place.new
        cp "$tree/$name" "$pending" || cannot_write "$prefix/$place"
        if [ "$name" = autopilot ]; then chmod 755 "$pending"; else chmod 644 "$pending"; fi
        # Moved over the old one, so that a program that is running is not disturbed.
        mv -f "$pending" "$prefix/$place" || cannot_write "$prefix/$place"
        pending=
    done <"$work/files"
}

# take_away LIST: those of these files that are as they were installed.
take_away() {
    while read -r kind _ place; do
        [ "$kind" = file ] || continue
        case $place in
            /* | ../* | */../*) continue ;;
        esac
        [ -f "$prefix/$place" ] || continue
        if is_recorded "$(sha256_of "$prefix/$place")" "$place"; then
            rm "$prefix/$place" || cannot_write "$prefix/$place"
        else
            say "left, because it was changed since: $prefix/$place"
        fi
    done <"$1"
}

install_files() {
    earlier=$work/earlier
    if [ -f "$record" ]; then cp "$record" "$earlier"; else : >"$earlier"; fi
    grep '^dir ' "$earlier" >"$work/folders" || :
    make_folder "${record_path%/*}"
    grep '^file ' "$earlier" >"$work/earlier-files" || :
    write_record "$work/earlier-files"
    copy_files
    # What the earlier version had and this one has not.
    cut -d ' ' -f 2 "$work/files" >"$work/places"
    while read -r kind sum place; do
        grep -Fxq "$place" "$work/places" || say "$kind $sum $place"
    done <"$work/earlier-files" >"$work/gone"
    take_away "$work/gone"
    write_record
}

# Whatever goes wrong, nothing half-written is left.
clean_up() {
    rm -rf "$work"
    [ -z "$pending" ] || rm -f "$pending"
}

install() {
    need_tools
    if [ -z "$from" ]; then
        from=$(dirname -- "$0")
        if [ ! -f "$from/SHA256SUMS" ]; then
            fail 2 "there is no SHA256SUMS beside this script" "the archive is verified with it" \
                "name the folder or the address that holds it: --from PLACE"
        fi
    fi
    from=${from%/}
    pending=
    work=$(mktemp -d) || fail 6 "no temporary folder can be made" "the archive is unpacked there" \
        "make room in ${TMPDIR:-/tmp}"
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    name_machine
    fetch SHA256SUMS
    choose_archive
    fetch "$archive"
    verify
    list_files
    refuse_what_is_in_the_way
    replaced=
    [ ! -f "$record" ] || replaced=$(sed -n 's/^archive //p' "$record")
    install_files
    version=$("$prefix/bin/autopilot" --version) || fail 6 "the installed program does not start" \
        "it may be built for another machine" "sh install.sh --uninstall --prefix $prefix"
    tell
}

tell() {
    say "installed: $version in $prefix${replaced:+, in place of $replaced}"
    bin=$prefix/bin
    shown=$bin
    case $bin in
        "${HOME:-/nowhere}"/*) shown="\$HOME${bin#"$HOME"}" ;;
    esac
    next="autopilot doctor"
    case ":$PATH:" in
        *":$bin:"*)
            first=$(command -v autopilot || :)
            if [ "$first" != "$bin/autopilot" ]; then
                say "another one comes first on PATH: $first"
                next="$bin/autopilot doctor"
            fi
            ;;
        *)
            say "$bin is not on PATH. This line puts it there, from the next shell on:"
            case ${SHELL:-} in
                */fish) say "  fish_add_path \"$shown\"" ;;
                */zsh) say "  echo 'export PATH=\"$shown:\$PATH\"' >> ~/.zshrc" ;;
                */bash) say "  echo 'export PATH=\"$shown:\$PATH\"' >> ~/.bashrc" ;;
                *) say "  echo 'export PATH=\"$shown:\$PATH\"' >> ~/.profile" ;;
            esac
            next="$bin/autopilot doctor"
            ;;
    esac
    case ${SHELL:-} in
        */zsh) say "for completion, above compinit in ~/.zshrc: fpath=(\"${shown%/bin}/share/zsh/site-functions\" \$fpath)" ;;
    esac
    say "next: $next"
}

uninstall() {
    need_tools
    if [ ! -f "$record" ]; then
        fail 2 "there is no $record" "it says which files were installed, and others are not touched" \
            "name the folder it was installed below: sh install.sh --uninstall --prefix DIR"
    fi
    name=$(sed -n 's/^archive //p' "$record")
    take_away "$record"
    folders=
    while read -r kind path; do
        [ "$kind" = dir ] || continue
        folders="$path
$folders"
    done <"$record"
    rm "$record" || cannot_write "$record"
    # The inner ones first. One that still holds something is somebody else's too.
    say "$folders" | while read -r path; do
        case $path in
            '' | /* | ../* | */../* | ..) ;;
            .) rmdir "$prefix" 2>/dev/null || : ;;
            *) rmdir "$prefix/$path" 2>/dev/null || : ;;
        esac
    done
    say "uninstalled: $name from $prefix"
    say "what autopilot keeps about your projects stays, and so do your settings: ~/.local/state/autopilot, ~/.config/autopilot"
}

read_arguments "$@"
case $order in
    install) install ;;
    uninstall) uninstall ;;
esac
