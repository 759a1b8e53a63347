import { webAddressLengthMax, webAddressProblems } from '@billing/kernel/web-address';
import { z } from 'zod';

/** Where a browser may be sent: an absolute http or https address without a user in it. */
export const webAddress = z
  .string()
  .superRefine((text, context) => {
    for (const message of webAddressProblems(text)) context.addIssue({ code: 'custom', message });
  })
  // Not of the format `uri`: that has no braces, and `{SESSION_ID}` does.
  .meta({ description: 'Absolute, http or https.', maxLength: webAddressLengthMax });
