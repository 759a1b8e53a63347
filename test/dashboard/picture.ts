import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Locator, Page } from 'playwright-core';

/** Pixels of a screenshot that are averaged into one. */
const cell = 4;
/** Difference of a color channel, of 255, from which an averaged pixel counts as changed. */
const channelMax = 24;

/**
 * A screenshot at a quarter of its size. Averages of 16 pixels hardly depend on how a machine
 * smooths letters.
 */
export class Picture {
  private constructor(
    readonly png: Buffer,
    /** A page whose canvas reads the picture. */
    readonly page: Page,
  ) {}

  static async of(part: Locator): Promise<Picture> {
    const png = await part.screenshot({ animations: 'disabled', caret: 'hide' });
    const url = await part
      .page()
      .evaluate<string>(`(${averaged})(${argument(png)}, ${String(cell)})`);
    return new Picture(Buffer.from(url.split(',').at(-1) ?? '', 'base64'), part.page());
  }

  static read(path: string, page: Page): Picture {
    return new Picture(readFileSync(path), page);
  }
}

/**
 * Share of the averaged pixels that differ, 0 to 1, without those that have the color of the
 * background in both pictures. Sizes may differ by one averaged pixel; 1 if they differ by more.
 */
export function differenceOf(one: Picture, other: Picture): Promise<number> {
  const pictures = `${argument(one.png)}, ${argument(other.png)}`;
  return other.page.evaluate<number>(`(${changedShare})(${pictures}, ${String(channelMax)})`);
}

export function keepReference(path: string, { png }: Picture): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, png);
}

function argument(png: Buffer): string {
  return JSON.stringify(`data:image/png;base64,${png.toString('base64')}`);
}

// These run in the browser, whose canvas decodes and encodes pictures.

const averaged = `async (source, cell) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(image.width / cell);
  canvas.height = Math.round(image.height / cell);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/png');
}`;

const changedShare = `async (one, other, channelMax) => {
  const read = async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const [a, b] = [await read(one), await read(other)];
  if (Math.max(Math.abs(a.width - b.width), Math.abs(a.height - b.height)) > 1) return 1;
  const [width, height] = [Math.min(a.width, b.width), Math.min(a.height, b.height)];
  const differ = (p, i, q, j, max) =>
    [0, 1, 2].some((channel) => Math.abs(p.data[i + channel] - q.data[j + channel]) > max);
  const backgroundOf = ({ width }) => 4 * (2 * width + 2);
  let drawn = 0;
  let changed = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [i, j] = [4 * (y * a.width + x), 4 * (y * b.width + x)];
      if (differ(a, i, a, backgroundOf(a), 2) || differ(b, j, b, backgroundOf(b), 2)) drawn += 1;
      if (differ(a, i, b, j, channelMax)) changed += 1;
    }
  }
  return changed / Math.max(1, drawn);
}`;
