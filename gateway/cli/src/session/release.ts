import { version } from '../../package.json';

/** Release of this program. */
export const release: string = version;
