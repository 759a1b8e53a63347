import { z } from 'zod';
import type { EInvoiceForm } from '../../e-invoice/downloads';

/** Query of a download of an electronic invoice. */
export const EInvoiceQuery = z
  .object({
    format: z.enum(['UBL', 'CII', 'FACTUR_X']).default('UBL').meta({
      description:
        'UBL 2.1, UN/CEFACT CII, or Factur-X: a PDF/A-3 file with CII inside. Defaults to UBL.',
    }),
    profile: z.enum(['EN16931', 'XRECHNUNG']).default('EN16931').meta({
      description: 'XRECHNUNG is version 3.0, not for FACTUR_X. Defaults to EN16931.',
    }),
  })
  .refine(({ format, profile }) => format !== 'FACTUR_X' || profile === 'EN16931', {
    path: ['profile'],
    message: 'Must be EN16931 for FACTUR_X',
  }) satisfies z.ZodType<EInvoiceForm>;
