import type { BrandColors } from '@billing/kernel/brand-colors';
import type { Block, Span } from './body';
import type { MailParts, ShownLogo } from './mail-text';

// Mail programs drop style sheets, so each element has its own style. Nothing is loaded.
const page =
  'margin:0;padding:24px 12px;background:#F4F5F7;color:#1B1E24;font:16px/1.5 -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
const sheet =
  'max-width:560px;margin:0 auto;padding:28px 24px;background:#FFFFFF;border-radius:8px';
const noticeStyle =
  'margin:0 0 20px;padding:8px 12px;background:#FFF4D6;color:#5C4300;border-radius:6px;font-size:14px';
const headingStyle = 'margin:0 0 16px;font-size:22px;line-height:1.3';
const paragraphStyle = 'margin:0 0 16px;overflow-wrap:anywhere';
const listStyle = 'margin:0 0 16px;padding:0 0 0 20px';
const buttonStyle =
  'display:inline-block;padding:12px 20px;border-radius:6px;font-weight:600;text-decoration:none';
const footerStyle = 'margin:0;color:#565C68;font-size:13px';

/** The HTML document of a mail. */
export function toHtml(parts: MailParts): string {
  const { subject, locale, blocks, notice, footer, colors, logo } = parts;
  const noticeHtml =
    notice === undefined ? '' : `<p style="${noticeStyle}">${escapeHtml(notice)}</p>`;
  return `<!doctype html>
<html lang="${escapeHtml(locale)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="${page}">
<main style="${sheet}">
${noticeHtml}${logo === undefined ? '' : logoHtml(logo)}${blocks.map((_block, index) => blockHtml(blocks, index, colors)).join('\n')}
<hr style="border:0;border-top:1px solid #DADDE3;margin:24px 0 16px">
<p style="${footerStyle}">${footer.map((line) => lineHtml(line, colors)).join('<br>')}</p>
</main>
</body>
</html>
`;
}

// As on PDFs.
const logoMax = { width: 160, height: 48 };

/** Id of the part that has an image, in the mail's `cid:` addresses. */
export function logoContentId(sha256: string): string {
  return `${sha256}@logo`;
}

function logoHtml({ sha256, width, height, name }: ShownLogo): string {
  const scale = Math.min(logoMax.width / width, logoMax.height / height, 1);
  const [shownWidth, shownHeight] = [width, height].map((pixels) =>
    String(Math.max(1, Math.round(pixels * scale))),
  );
  const source = `cid:${logoContentId(sha256)}`;
  return `<p style="margin:0 0 20px"><img src="${escapeHtml(source)}" alt="${escapeHtml(name)}" width="${shownWidth ?? ''}" height="${shownHeight ?? ''}" style="display:block;border:0"></p>\n`;
}

function blockHtml(blocks: readonly Block[], index: number, colors: BrandColors): string {
  const block = blocks[index];
  const inside = (block?.spans ?? []).map((span) => spanHtml(span, { block, colors })).join('');
  switch (block?.kind) {
    case undefined:
      return '';
    case 'heading':
      return `<h1 style="${headingStyle}">${inside}</h1>`;
    case 'paragraph':
    case 'button':
      return `<p style="${paragraphStyle}">${inside}</p>`;
    case 'item': {
      const isFirst = blocks[index - 1]?.kind !== 'item';
      const isLast = blocks[index + 1]?.kind !== 'item';
      const list = isFirst ? `<ul style="${listStyle}">` : '';
      return `${list}<li>${inside}</li>${isLast ? '</ul>' : ''}`;
    }
  }
}

function lineHtml(line: readonly Span[], colors: BrandColors): string {
  return line.map((span) => spanHtml(span, { block: undefined, colors })).join('');
}

function spanHtml(
  { text, isStrong, href }: Span,
  { block, colors }: { readonly block: Block | undefined; readonly colors: BrandColors },
): string {
  const inside = isStrong ? `<strong>${escapeHtml(text)}</strong>` : escapeHtml(text);
  if (href === undefined) return inside;
  const { accent, onAccent, linkOnLight } = colors;
  const style =
    block?.kind === 'button'
      ? `${buttonStyle};background:${accent};color:${onAccent};border:1px solid ${linkOnLight}`
      : `color:${linkOnLight}`;
  return `<a href="${escapeHtml(href)}" style="${style}">${inside}</a>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
