import { useEffect, useRef } from 'react';

/**
 * HTML of an email in a frame without scripts. The content security policy of the dashboard allows
 * no inline styles, so the styles of the email are set by script.
 */
export function EmailFrame({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const page = frame.current?.contentDocument;
    if (page) show(page, html);
  }, [html]);
  return (
    <iframe
      ref={frame}
      className="email-frame"
      title={title}
      // Without `allow-scripts` and `allow-popups`, nothing in the email runs or opens.
      sandbox="allow-same-origin"
      onLoad={({ currentTarget }) => {
        if (currentTarget.contentDocument !== null) show(currentTarget.contentDocument, html);
      }}
    />
  );
}

// Quotes in texts are escaped, so each match is an attribute.
const styleAttribute = / style="/g;

function show(page: Document, html: string): void {
  const unstyled = html.replace(styleAttribute, ' data-style="');
  const parsed = new DOMParser().parseFromString(unstyled, 'text/html');
  page.replaceChild(page.importNode(parsed.documentElement, true), page.documentElement);
  for (const element of page.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.dataset['style'] ?? '';
  }
}
