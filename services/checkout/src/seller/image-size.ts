/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Limits of an image, checked before anything is decompressed. */
export interface ImageLimits {
  /** Maximum width and height. */
  readonly pixelsMax: number;
}
