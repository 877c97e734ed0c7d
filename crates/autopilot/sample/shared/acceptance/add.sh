# A page that was added is listed.
. acceptance/setup.sh
bookmarks add https://example.org/tea 'All about tea'
bookmarks add https://example.org/rain 'Rain today'
shows 'All about tea <https://example.org/tea>' list
shows 'Rain today <https://example.org/rain>' list
