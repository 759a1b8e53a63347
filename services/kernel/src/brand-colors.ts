/** Colors of pages and mails that follow from the accent color of a brand, each as `#RRGGBB`. */
export interface BrandColors {
  readonly accent: string;
  /** Text on the accent. */
  readonly onAccent: string;
  /** Links and focus rings on a light page. */
  readonly linkOnLight: string;
  /** Links and focus rings on a dark page. */
  readonly linkOnDark: string;
}

/** Accent of an environment that has chosen none. */
export const defaultAccentColor = '#2447C9';

// WCAG 2.2, success criterion 1.4.3 (AA).
const contrastMin = 4.5;
const white = '#FFFFFF';
const black = '#000000';

// The darkest background of a light page, and the lightest background of a dark one.
const lightPage = '#F4F5F7';
const darkPage = '#1B1E24';

const mixSteps = 20;

/** Derives readable colors: no accent is refused, but a text never has too little contrast. */
export function brandColors(accent: string): BrandColors {
  return {
    accent,
    onAccent: isReadable(white, accent) ? white : black,
    linkOnLight: readableMix(accent, { towards: 0, background: lightPage }),
    linkOnDark: readableMix(accent, { towards: 255, background: darkPage }),
  };
}

/** Contrast of two colors by WCAG 2, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [darker, lighter] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b) as [
    number,
    number,
  ];
  return (lighter + 0.05) / (darker + 0.05);
}

function isReadable(text: string, background: string): boolean {
  return contrastOf(text, background) >= contrastMin;
}

/** The first of the mixes of a color with black or white that is readable on a background. */
function readableMix(
  color: string,
  { towards, background }: { readonly towards: number; readonly background: string },
): string {
  const mixes = Array.from({ length: mixSteps + 1 }, (_, share) => mixOf(color, towards, share));
  return mixes.find((mix) => isReadable(mix, background)) ?? mixOf(color, towards, mixSteps);
}

/** `share` is the part of the other color, in twentieths. */
function mixOf(color: string, towards: number, share: number): string {
  const mixed = channelsOf(color).map((channel) =>
    Math.floor((channel * (mixSteps - share) + towards * share + mixSteps / 2) / mixSteps),
  );
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`.toUpperCase();
}

/** Relative luminance of WCAG 2. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}
