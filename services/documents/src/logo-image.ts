import { createHash } from 'node:crypto';

/** Parts of an image of the PDF library that its types lack. JPEG images have only the size. */
interface LibraryImage {
  readonly width: number;
  readonly height: number;
  readonly imgData?: Uint8Array;
  readonly alphaChannel?: Uint8Array;
  /** Called in `embed`, or later if pixels are decoded first. */
  finalize?: () => void;
}

/** Compressed pixels as a PDF has them. */
type Pixels = Pick<LibraryImage, 'imgData' | 'alphaChannel'>;

// Logos in use at a time. A file has at most 128 KiB, its pixels may take a few times as much.
const keptMax = 32;
const kept = new Map<string, Pixels>();

/**
 * Opens an image for a document. The library decodes and compresses a PNG image with transparency
 * for each document again, which takes many times as long as the rest of it, so its pixels are
 * kept.
 */
export function openLogo(document: PDFKit.PDFDocument, bytes: Buffer): LibraryImage {
  const library = document as unknown as { openImage(bytes: Buffer): LibraryImage };
  const image = library.openImage(bytes);
  const finalize = image.finalize?.bind(image);
  if (finalize === undefined) return image;
  const key = createHash('sha256').update(bytes).digest('hex');
  const pixels = kept.get(key);
  if (pixels === undefined) {
    image.finalize = () => {
      const { imgData, alphaChannel } = image;
      keep(key, { ...(imgData && { imgData }), ...(alphaChannel && { alphaChannel }) });
      finalize();
    };
    return image;
  }
  keep(key, pixels);
  // As after decoding, the pixels follow the rest of the document: the bytes stay the same.
  const restore = () => {
    process.nextTick(() => {
      Object.assign(image, pixels);
      finalize();
    });
  };
  const decoding = ['splitAlphaChannel', 'loadIndexedAlphaChannel', 'decodeData'];
  return Object.assign(image, Object.fromEntries(decoding.map((name) => [name, restore])));
}

function keep(key: string, pixels: Pixels): void {
  kept.delete(key);
  kept.set(key, pixels);
  const [oldest] = kept.keys();
  if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
}
