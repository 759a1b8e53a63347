import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync, crc32 } from 'node:zlib';
import { toCii } from '@billing/presentation/cii';
import type { EInvoice } from '@billing/presentation/e-invoice';
import { toUbl } from '@billing/presentation/ubl';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { renderCreditNotePdf } from '@billing/documents/credit-note-pdf';
import { renderInvoicePdf } from '@billing/documents/invoice-pdf';
import { creditNoteModel } from './credit-note-model';
import { asFinalised, asIssued } from './downloads';
import { invoiceModel } from './invoice-model';
import { creditNoteOf, sales, taxedInvoice } from './testing/documents';
import {
  type CheckedFile,
  ensureOfficialRules,
  officialRules,
  violationsOf,
} from './testing/official-rules/official-rules';

const timeoutMs = 20 * 60_000;
const customer = Customer.fromPartial({});
const classPath = ensureOfficialRules();
const testWithRules = classPath === undefined ? test.skip : test;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-e-invoices-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function violations(
  files: readonly { name: string; bytes: string | Buffer; checks: readonly string[] }[],
): Promise<string[]> {
  const checked: CheckedFile[] = files.map(({ name, checks }) => ({
    path: join(folder, name),
    checks,
  }));
  await Promise.all(files.map(({ name, bytes }) => writeFile(join(folder, name), bytes)));
  return await violationsOf(checked, classPath ?? '');
}

function xmlFiles(name: string, model: EInvoice) {
  const { ublInvoice, ublCreditNote, cii, xRechnungUbl, xRechnungCii } = officialRules;
  const isNational = model.profile === 'XRECHNUNG';
  const file = `${name} ${model.profile}`.replace(/[^a-z0-9]+/gi, '-');
  const ubl = model.kind === 'INVOICE' ? ublInvoice : ublCreditNote;
  return [
    {
      name: `${file}-ubl.xml`,
      bytes: toUbl(model),
      checks: isNational ? [...ubl, ...xRechnungUbl] : ubl,
    },
    {
      name: `${file}-cii.xml`,
      bytes: toCii(model),
      checks: isNational ? [...cii, ...xRechnungCii] : cii,
    },
  ];
}

testWithRules(
  'every document obeys the schemas and the rules of EN 16931 and XRechnung (needs Java and Maven)',
  async () => {
    const files = Object.entries(sales).flatMap(([name, sale]) => {
      const invoice = taxedInvoice(sale);
      return (['EN16931', 'XRECHNUNG'] as const).flatMap((profile) => [
        ...xmlFiles(name, invoiceModel(invoice, profile)),
        ...xmlFiles(`note ${name}`, creditNoteModel(creditNoteOf(invoice), invoice, profile)),
      ]);
    });
    expect(await violations(files)).toEqual([]);
  },
  timeoutMs,
);

testWithRules(
  'a broken document is found (needs Java and Maven)',
  async () => {
    const model = invoiceModel(taxedInvoice(sales['in yen']!), 'EN16931');
    const broken = { ...model, net: model.net + 1n, notes: ['\u0001'] };
    const found = await violations(xmlFiles('broken', broken));
    expect(found.filter((line) => line.includes('[BR-CO-10]'))).toHaveLength(2);
  },
  timeoutMs,
);

testWithRules(
  'every Factur-X file is PDF/A-3b (needs Java and Maven)',
  async () => {
    const files = await Promise.all(
      Object.entries(sales).map(async ([name, sale], index) => {
        const invoice = taxedInvoice(sale);
        const frame = {
          ...{ customer, logo: transparentPng(), isTest: true },
          facturX: toCii(invoiceModel(invoice, 'EN16931')),
        };
        const isNote = index % 2 === 1;
        const bytes = isNote
          ? await renderCreditNotePdf({ note: asIssued(creditNoteOf(invoice)), invoice, ...frame })
          : await renderInvoicePdf({ invoice: asFinalised(invoice), ...frame });
        return { name: `${name.replace(/[^a-z]+/g, '-')}.pdf`, bytes, checks: officialRules.pdf };
      }),
    );
    expect(await violations(files)).toEqual([]);
  },
  timeoutMs,
);

/** Image of one pixel with an alpha channel. */
function transparentPng(): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const body = Buffer.concat([Buffer.from(type), data]);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from([0, 200, 0, 0, 128]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
