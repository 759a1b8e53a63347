import { isOfSandbox } from './poison-messages';

describe('a poison message', () => {
  test.each([
    ['{"type":"billing.invoice.paid","environmentlive":false}', true],
    ['{"type":"billing.invoice.paid","environmentlive":true}', false],
    ['not JSON', false],
    ['{"data":{"name":"\\"environmentlive\\":false"}}', false],
  ])('%s is of a sandbox: %s', (data, isSandbox) => {
    expect(isOfSandbox(data)).toBe(isSandbox);
  });
});
