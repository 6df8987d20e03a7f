"""Reports as text, Markdown, HTML and JSON; number formatting, the page template, charts."""
