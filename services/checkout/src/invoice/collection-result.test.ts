import { withResult } from './collection-result';
import { unskippableInvoiceCommands } from '../commands';
import { aDraft } from '../testing/invoice';

test('a result is sent by an unskippable command, because its receiver expects consecutive numbers', () => {
  const { commands } = withResult(aDraft(), { outcome: 'FAILED', attempt: 1 });
  expect(commands).toMatchObject([{ payload: { resultNumber: 1 } }]);
  for (const { type } of commands) expect(unskippableInvoiceCommands[type]).toBeDefined();
});
