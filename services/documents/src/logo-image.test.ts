import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { renderPdf } from './pdf-writer';

const folder = join(__dirname, '../../checkout/vectors/logos');

function render(logo: Buffer): Promise<Buffer> {
  const frame = { title: 'Test', locale: undefined, date: undefined, logo, isTest: false };
  return renderPdf(frame, (writer) => {
    writer.paragraph('Text');
  });
}

test('the transparency of a logo is separated once for all documents', async () => {
  const compress = jest.spyOn(zlib, 'deflateSync');
  const logo = readFileSync(join(folder, 'rgba.png'));
  const separations = () =>
    compress.mock.calls.filter(([data]) => (data as Uint8Array).length === 37 * 21).length;
  const first = await render(logo);
  expect(separations()).toBe(1);
  const second = await render(logo);
  expect(separations()).toBe(1);
  expect(second.equals(first)).toBe(true);
  compress.mockRestore();
});

test.each(readdirSync(folder))('a logo gives the same bytes again: %s', async (name) => {
  const logo = readFileSync(join(folder, name));
  const first = await render(logo);
  const other = await render(readFileSync(join(folder, 'rgb.png')));
  expect((await render(logo)).equals(first)).toBe(true);
  expect(other.equals(first)).toBe(name === 'rgb.png');
});
