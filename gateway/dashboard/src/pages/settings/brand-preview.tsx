import { type BrandColors, contrastOf } from '@billing/kernel/brand-colors';

const rows = [
  { name: 'Accent', color: 'accent', on: undefined },
  { name: 'Text on the accent', color: 'onAccent', on: 'accent' },
  { name: 'Links on light', color: 'linkOnLight', on: '#F4F5F7' },
  { name: 'Links on dark', color: 'linkOnDark', on: '#1B1E24' },
] as const;

/** The four colors with their contrast, and a page in light and dark. */
export function BrandPreview({ colors, name }: { colors: BrandColors; name: string }) {
  return (
    <fieldset className="fields">
      <legend>Preview</legend>
      <table className="swatches">
        <thead>
          <tr>
            <th scope="col">Color</th>
            <th scope="col">Value</th>
            <th scope="col">Contrast</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name: label, color, on }) => (
            <tr key={color}>
              <th scope="row">{label}</th>
              <td>
                <span className="swatch" aria-hidden="true" style={{ background: colors[color] }} />
                <code>{colors[color]}</code>
              </td>
              <td>
                {on === undefined
                  ? ''
                  : contrastText(colors[color], on === 'accent' ? colors.accent : on)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="brand-previews">
        <SamplePage scheme="light" colors={colors} name={name} />
        <SamplePage scheme="dark" colors={colors} name={name} />
      </div>
    </fieldset>
  );
}

const ratio = new Intl.NumberFormat('en', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

const schemes = {
  light: { page: '#F4F5F7', card: '#FFFFFF', ink: '#16181D', link: 'linkOnLight' },
  dark: { page: '#111317', card: '#1B1E24', ink: '#ECEEF2', link: 'linkOnDark' },
} as const;

function SamplePage({
  scheme,
  colors,
  name,
}: {
  scheme: keyof typeof schemes;
  colors: BrandColors;
  name: string;
}) {
  const { page, card, ink, link } = schemes[scheme];
  const { accent, onAccent } = colors;
  return (
    <figure className="brand-preview" style={{ background: page, color: ink }}>
      <figcaption>{scheme === 'light' ? 'Light' : 'Dark'}</figcaption>
      <div style={{ background: card }}>
        <strong>{name}</strong>
        <span
          className="brand-button"
          style={{ background: accent, color: onAccent, borderColor: colors[link] }}
        >
          Pay $29.00
        </span>
        <span className="brand-link" style={{ color: colors[link] }}>
          Cancel and go back
        </span>
      </div>
    </figure>
  );
}

function contrastText(color: string, background: string): string {
  return `${ratio.format(contrastOf(color, background))} : 1`;
}
