import { generate } from 'lean-qr';

// Scanners need four light modules around the code.
const margin = 4;

/** QR code of a text, dark on light in both themes: scanners read no other. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = generate(text);
  const cells = Array.from({ length: code.size ** 2 }, (_, index) => ({
    x: index % code.size,
    y: Math.floor(index / code.size),
  }));
  const path = cells
    .filter(({ x, y }) => code.get(x, y))
    .map(({ x, y }) => `M${String(x + margin)} ${String(y + margin)}h1v1h-1z`)
    .join('');
  const size = code.size + 2 * margin;
  return (
    <svg
      className="qr-code"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${String(size)} ${String(size)}`}
      shapeRendering="crispEdges"
    >
      <path d={`M0 0h${String(size)}v${String(size)}h-${String(size)}z`} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
