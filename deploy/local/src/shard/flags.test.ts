import { parseShardFlags } from './flags';

const uri = 'mongodb://mongos:27017';

test.each([
  [[], { uri: undefined, databasePrefix: 'billing' }],
  [['--prefix', 'b2'], { uri: undefined, databasePrefix: 'b2' }],
  [['--uri', uri], { uri: undefined, databasePrefix: 'billing' }],
  [['--run', '--uri', uri], { uri, databasePrefix: 'billing' }],
])('the flags %j are accepted', (args, flags) => {
  expect(parseShardFlags(args)).toEqual(flags);
});

test.each([[['--run']], [['--prefix', 'B"']], [['--unknown']], [['more']]])(
  'the flags %j are refused',
  (args) => {
    expect(parseShardFlags(args)).toBeUndefined();
  },
);
