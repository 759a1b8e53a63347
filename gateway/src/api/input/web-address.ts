import { webAddressLengthMax, webAddressProblems } from '@billing/kernel/web-address';
import { z } from 'zod';

/** URL for redirects and links: absolute, http or https, without user information. */
export const webAddress = z
  .string()
  .superRefine((text, context) => {
    for (const message of webAddressProblems(text)) context.addIssue({ code: 'custom', message });
  })
  // Not declared as format `uri`, which excludes the braces of `{SESSION_ID}`.
  .meta({ description: 'Absolute http or https URL.', maxLength: webAddressLengthMax });
