# A tag lists the pages that carry it.
. acceptance/setup.sh
bookmarks add https://example.org/tea 'All about tea'
bookmarks add https://example.org/rain 'Rain today'
bookmarks tag https://example.org/tea drinks
bookmarks tag https://example.org/tea hot
shows 'All about tea' tagged drinks
shows 'All about tea' tagged hot
hides 'Rain today' tagged drinks
