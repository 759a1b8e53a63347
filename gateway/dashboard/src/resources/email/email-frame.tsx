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

const logoAddress = /^cid:([0-9a-f]{64})@logo$/;

// Quotes in texts are escaped, so each match is an attribute.
const styleAttribute = / style="/g;

function show(page: Document, html: string): void {
  const unstyled = html.replace(styleAttribute, ' data-style="');
  const parsed = new DOMParser().parseFromString(unstyled, 'text/html');
  page.replaceChild(page.importNode(parsed.documentElement, true), page.documentElement);
  for (const image of page.querySelectorAll<HTMLImageElement>('img[src^="cid:"]')) {
    const sha256 = logoAddress.exec(image.getAttribute('src') ?? '')?.[1];
    // A part of the mail; the browser knows it by its address on the pages of payers.
    if (sha256 !== undefined) image.src = `/logos/${sha256}`;
  }
  for (const element of page.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.dataset['style'] ?? '';
  }
}
