# Every page is a link on the HTML page.
. acceptance/setup.sh
bookmarks add https://example.org/tea 'All about tea'
shows '<!doctype html>' export
shows '<a href="https://example.org/tea">All about tea</a>' export
