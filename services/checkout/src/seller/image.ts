import type { ImageLimits, ImageSize } from './image-size';
import { jpegSize } from './jpeg';
import { pngSize } from './png';

/** A valid image. */
export interface Image extends ImageSize {
  readonly contentType: 'image/png' | 'image/jpeg';
}

/**
 * Reads an image. Undefined unless the bytes are one complete PNG or JPEG image, within the limits,
 * that decodes without an error and has nothing before or after it.
 */
export function readImage(bytes: Buffer, limits: ImageLimits): Image | undefined {
  const png = pngSize(bytes, limits);
  if (png !== undefined) return { ...png, contentType: 'image/png' };
  const jpeg = jpegSize(bytes, limits);
  return jpeg && { ...jpeg, contentType: 'image/jpeg' };
}
