import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { differenceOf, keepPicture, Picture } from './picture';

/** Folder of what a failed comparison leaves. */
const differences = join(__dirname, '../..', '.cache', 'differences');

/** Largest accepted difference between a picture and its reference. */
export interface Tolerance {
  readonly share: number;
  readonly tileShare: number;
}

/**
 * Compares a picture with its reference, and returns the differences in words. A missing reference
 * is created. With RENEW_PICTURES, one that differs is replaced.
 */
export async function differencesFrom(
  path: string,
  picture: Picture,
  tolerance: Tolerance,
): Promise<readonly string[]> {
  const name = basename(path, '.png');
  if (!existsSync(path)) {
    keepPicture(path, picture.png);
    return [`${name}.png is new: look at it and run the test again`];
  }
  const { share, tileShare, png } = await differenceOf(Picture.read(path, picture.page), picture);
  if (share <= tolerance.share && tileShare <= tolerance.tileShare) return [];
  if (process.env.RENEW_PICTURES !== undefined) {
    keepPicture(path, picture.png);
    return [];
  }
  keepPicture(join(differences, `${name}.png`), png);
  const percent = (part: number) => `${String(Math.round(part * 1000) / 10)}%`;
  return [
    `${name}: ${percent(share)} differ, up to ${percent(tileShare)} of a tile; see .cache/differences/${name}.png`,
  ];
}
