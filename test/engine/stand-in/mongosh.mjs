#!/usr/local/bin/node
// Does what `compose.yaml` and `setup` ask of mongosh: `--eval` of a script that says hello, and
// scripts that create users, for which it prints the statements of DocumentDB.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { runInNewContext } from 'node:vm';

const args = process.argv.slice(2);
const evaluated = args.indexOf('--eval');
if (evaluated === -1) printUsers(args);
else runInNewContext(args[evaluated + 1], { db: { hello: await hello() }, quit: process.exit });

function printUsers(files) {
  const print = ({ user, pwd }) => {
    const roles = ['readWriteAnyDatabase', 'clusterAdmin'].map((role) => ({ role, db: 'admin' }));
    const command = JSON.stringify({ createUser: user, pwd, roles });
    process.stdout.write(`select documentdb_api.create_user('${command}');\n`);
  };
  const { MONGOSH_USER: user, MONGOSH_PASSWORD: pwd } = process.env;
  if (user) print({ user, pwd });
  const db = { getSiblingDB: () => ({ createUser: print }) };
  for (const file of files.filter((one) => !one.includes('*')))
    runInNewContext(readFileSync(file, 'utf8'), { db });
}

/** Asks the server; returns a function, as the shell has it. */
async function hello() {
  const document = Buffer.from('\x10hello\0\x01\0\0\0\x02$db\0\x06\0\0\0admin\0\0', 'latin1');
  // Length, number, number answered to, OP_MSG, flags, kind of section, length of the document.
  const head = Buffer.alloc(25);
  [25 + document.length, 1, 0, 2013, 0].forEach((value, index) =>
    head.writeInt32LE(value, index * 4),
  );
  head.writeInt32LE(document.length + 4, 21);
  const socket = connect({ host: '127.0.0.1', port: 27017, timeout: 5_000 });
  socket.on('timeout', () => socket.destroy(new Error('no answer')));
  socket.write(Buffer.concat([head, document]));
  const answer = Buffer.concat([(await socket.iterator().next()).value]);
  socket.destroy();
  return () => ({ isWritablePrimary: answer.includes('isWritablePrimary\0\x01', 0, 'latin1') });
}
