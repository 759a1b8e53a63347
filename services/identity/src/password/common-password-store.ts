import { dictionary } from '@zxcvbn-ts/language-common';
import type { CommonPasswords } from './password';

/** The passwords that attackers try first: about 49,000 of published breaches. */
export const commonPasswords: CommonPasswords = new Set(
  dictionary['passwords-common'].map((password) => password.toLowerCase()),
);
