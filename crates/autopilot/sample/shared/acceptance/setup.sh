# What every acceptance check begins with: an empty file of bookmarks and two words to say what is expected.
set -eu
BOOKMARKS_FILE=$(mktemp)
export BOOKMARKS_FILE
trap 'rm -f "$BOOKMARKS_FILE"' EXIT

bookmarks() {
    sh bin/bookmarks "$@"
}

# shows TEXT COMMAND...
shows() {
    text=$1
    shift
    bookmarks "$@" | grep -qF -e "$text" || {
        echo "'bookmarks $*' does not show: $text"
        exit 1
    }
}

# hides TEXT COMMAND...
hides() {
    text=$1
    shift
    if bookmarks "$@" | grep -qF -e "$text"; then
        echo "'bookmarks $*' shows: $text"
        exit 1
    fi
}
