import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { palettePng } from './palette-png';

/** Pixels of a screenshot that are averaged into one. */
const cell = 4;
/** Difference of a color channel, of 255, from which an averaged pixel counts as changed. */
const channelMax = 24;
/** Width and height of a tile, in averaged pixels. */
const tile = 32;

const options = { animations: 'disabled', caret: 'hide' } as const;

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
    return Picture.averageOf(await part.screenshot(options), part.page());
  }

  /** Reads a screenshot of the page. */
  static ofScreenshot(screenshot: Buffer, page: Page): Promise<Picture> {
    return Picture.averageOf(screenshot, page);
  }

  static read(path: string, page: Page): Picture {
    return new Picture(readFileSync(path), page);
  }

  private static async averageOf(png: Buffer, page: Page): Promise<Picture> {
    const { rgb, ...size } = await page.evaluate<{ width: number; height: number; rgb: string }>(
      `(${averaged})(${argument(png)}, ${String(cell)})`,
    );
    return new Picture(palettePng({ ...size, rgb: Buffer.from(rgb, 'base64') }), page);
  }
}

/** A screenshot in full size, from the top of the page, at most `heightMax` pixels high. */
export async function screenshotOf(page: Page, heightMax: number): Promise<Buffer> {
  const size = await page.evaluate<{ width: number; height: number }>(
    '({ width: innerWidth, height: document.documentElement.scrollHeight })',
  );
  const clip = { x: 0, y: 0, width: size.width, height: Math.min(size.height, heightMax) };
  return page.screenshot({ ...options, fullPage: true, clip });
}

/** Comparison of two pictures. */
export interface Difference {
  /**
   * Share of the averaged pixels that differ, 0 to 1, without those that have the color of the
   * background in both pictures. Sizes may differ by one averaged pixel; 1 if they differ by more.
   */
  readonly share: number;
  /** Largest share of differing pixels in a tile of 128 × 128 pixels of the screenshot. */
  readonly tileShare: number;
  /** Both pictures next to each other, and the differences in red. */
  readonly png: Buffer;
}

export async function differenceOf(one: Picture, other: Picture): Promise<Difference> {
  const numbers = JSON.stringify({ channelMax, tile });
  const { url, ...shares } = await other.page.evaluate<Omit<Difference, 'png'> & { url: string }>(
    `(${compared})(${argument(one.png)}, ${argument(other.png)}, ${numbers})`,
  );
  return { ...shares, png: pngOf(url) };
}

export function keepPicture(path: string, png: Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, png);
}

function argument(png: Buffer): string {
  return JSON.stringify(`data:image/png;base64,${png.toString('base64')}`);
}

function pngOf(url: string): Buffer {
  return Buffer.from(url.split(',').at(-1) ?? '', 'base64');
}

// These run in the browser, whose canvas decodes and encodes pictures.

const averaged = `async (source, cell) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(image.width / cell);
  canvas.height = Math.round(image.height / cell);
  const context = canvas.getContext('2d', { alpha: false });
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const { width, height, data } = context.getImageData(0, 0, canvas.width, canvas.height);
  let rgb = '';
  for (let at = 0; at < data.length; at += 4) {
    rgb += String.fromCharCode(data[at], data[at + 1], data[at + 2]);
  }
  return { width, height, rgb: btoa(rgb) };
}`;

const compared = `async (one, other, { channelMax, tile }) => {
  const load = async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    return image;
  };
  const images = [await load(one), await load(other)];
  const height = Math.max(images[0].height, images[1].height);
  const width = Math.max(images[0].width, images[1].width);
  const canvas = document.createElement('canvas');
  canvas.width = 3 * width;
  canvas.height = height;
  const context = canvas.getContext('2d', { alpha: false });
  images.forEach((image, index) => context.drawImage(image, index * width, 0));
  const [a, b] = images.map((image, index) =>
    context.getImageData(index * width, 0, image.width, image.height));
  const differ = (p, i, q, j, max) =>
    [0, 1, 2].some((channel) => Math.abs(p.data[i + channel] - q.data[j + channel]) > max);
  const backgroundOf = ({ width }) => 4 * (2 * width + 2);
  const tiles = new Map();
  let drawn = 0;
  let changed = 0;
  context.fillStyle = 'red';
  for (let y = 0; y < Math.min(a.height, b.height); y += 1) {
    for (let x = 0; x < Math.min(a.width, b.width); x += 1) {
      const [i, j] = [4 * (y * a.width + x), 4 * (y * b.width + x)];
      if (differ(a, i, a, backgroundOf(a), 2) || differ(b, j, b, backgroundOf(b), 2)) drawn += 1;
      if (!differ(a, i, b, j, channelMax)) continue;
      changed += 1;
      const at = Math.floor(x / tile) + ' ' + Math.floor(y / tile);
      tiles.set(at, (tiles.get(at) ?? 0) + 1);
      context.fillRect(2 * width + x, y, 1, 1);
    }
  }
  const isOtherSize = Math.max(Math.abs(a.width - b.width), Math.abs(a.height - b.height)) > 1;
  return {
    share: isOtherSize ? 1 : changed / Math.max(1, drawn),
    tileShare: isOtherSize ? 1 : Math.max(0, ...tiles.values()) / tile ** 2,
    url: canvas.toDataURL('image/png'),
  };
}`;
