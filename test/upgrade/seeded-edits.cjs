// Changes compiled files as they are loaded: the faults that a release must not have.
const { readFileSync } = require('node:fs');
const Module = require('node:module');

const edits = JSON.parse(process.env.SEEDED_EDITS);
const load = Module._extensions['.js'];

Module._extensions['.js'] = (module, file) => {
  const own = edits.filter((edit) => file.endsWith(edit.file));
  if (own.length === 0) return load(module, file);
  const edited = own.reduce(
    (text, { from, to }) => {
      if (text.includes(from)) return text.replace(from, () => to);
      process.stderr.write(`${file} does not contain ${from}\n`);
      return process.exit(1);
    },
    readFileSync(file, 'utf8'),
  );
  module._compile(edited, file);
};
