# Upper and lower case make no difference.
. acceptance/setup.sh
bookmarks add https://example.org/rain 'Rain today'
shows 'Rain today' find rain
shows 'Rain today' find TODAY
