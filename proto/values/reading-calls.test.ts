import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptorSet } from '../gen/descriptor-set';
import { readingCalls } from '../gen/reading-calls';

const { file } = fromBinary(FileDescriptorSetSchema, Buffer.from(descriptorSet, 'base64'));
const paths = file.flatMap(({ package: name, service }) =>
  service.flatMap((one) => one.method.map((method) => `/${name}.${one.name}/${method.name}`)),
);

// The contract, not the name, decides what an RPC does. A new verb is added here, and to the
// contract, by a decision.
const reading = [
  ...['Get', 'List', 'Find', 'Search', 'Read', 'Export', 'Scan'],
  ...['Authenticate', 'Identify', 'Preview', 'Quote', 'Validate'],
];
const writing = [
  ...[
    'Accept',
    'Advance',
    'Answer',
    'Apply',
    'Ask',
    'Begin',
    'Bill',
    'Cancel',
    'Change',
    'Claim',
    'Confirm',
  ],
  ...[
    'Create',
    'Delete',
    'End',
    'Ensure',
    'Enter',
    'Erase',
    'Fill',
    'Finalize',
    'Finish',
    'Fix',
    'Forget',
    'Ingest',
    'Invite',
    'Issue',
  ],
  ...[
    'Keep',
    'Leave',
    'Log',
    'Mark',
    'Pay',
    'Receive',
    'Record',
    'Release',
    'Remove',
    'Replay',
    'Reserve',
  ],
  ...[
    'Resend',
    'Reset',
    'Retry',
    'Revoke',
    'Rotate',
    'Run',
    'Save',
    'Send',
    'Set',
    'Settle',
    'Skip',
    'Start',
    'Stop',
  ],
  ...['Uncancel', 'Update', 'Void'],
  // They store a tombstone if the holder does not exist, or save a payment method.
  ...['Check', 'Resolve'],
];

test.each(paths)('%s is declared as reading if and only if its verb reads', (path) => {
  const [verb = ''] = /[A-Z][a-z]+/.exec(path.split('/')[2] ?? '') ?? [];
  expect([...reading, ...writing]).toContain(verb);
  expect(readingCalls.has(path)).toBe(reading.includes(verb));
});
