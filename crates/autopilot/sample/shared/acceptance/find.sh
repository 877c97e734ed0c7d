# A word of a title or an address finds the page.
. acceptance/setup.sh
bookmarks add https://example.org/tea 'All about green leaves'
bookmarks add https://example.org/rain 'Rain today'
shows 'All about green leaves' find leaves
shows 'All about green leaves' find /tea
hides 'Rain today' find leaves
