import { createHash } from 'node:crypto';

// Without scripts and external resources, the pages work offline and under the strictest content
// security policy.

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; overflow-wrap: anywhere; }
nav ul { columns: 18rem; padding-left: 1rem; }
article { border-top: 1px solid #8886; padding-top: .5rem; }
table { border-collapse: collapse; width: 100%; }
td, th { overflow-wrap: normal; border-bottom: 1px solid #8884; padding: .2rem .5rem .2rem 0; text-align: left; vertical-align: top; }
pre { background: #8882; overflow: auto; padding: .5rem; }
code { font-size: .9em; }
`;

/** Content security policy of the documentation: only its inline style may load. */
export const documentationPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Renders a page of the documentation. The title is text, the content HTML. */
export function framed(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
${content}
</body>
</html>
`;
}

export function escaped(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
