/** The one HTML document; everything else is built by the page's script. */
export const PAGE_DOCUMENT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>Workbench</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
<link rel="stylesheet" href="/plugin/styles.css">
</head>
<body class="theme-dark"><script src="/page.js"></script></body>
</html>
`;

/**
 * What each answer of the page's server carries. Nothing comes from anywhere but this server, and a
 * page may speak only to loopback; `unsafe-eval` is what the app allows too: it is how a plugin is
 * loaded. Only a page on its own may share memory with its threads.
 */
export const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'self'",
    "script-src 'self' 'unsafe-eval'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "connect-src 'self' ws://127.0.0.1:* ws://localhost:*",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};
