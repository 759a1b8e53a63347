import type { Command } from 'commander';
import { wrongUsage } from '../terminal/failure';
import { print, type Terminal } from '../terminal/terminal';

/** Prints a script that completes the names of commands. */
export function completion(terminal: Terminal, shell: string, program: Command): void {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined) throw wrongUsage('SHELL is bash, zsh or fish');
  const commands = program.commands.map((command) => ({
    name: command.name(),
    summary: command.description(),
    children: command.commands.map((child) => child.name()),
  }));
  print(terminal, script(commands).trim());
}

interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly children: readonly string[];
}

const scripts: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash: bashScript,
  zsh: (commands) => `autoload -U bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: (commands) =>
    [
      'complete -c billing -f',
      ...commands.map(
        ({ name, summary }) =>
          `complete -c billing -n __fish_use_subcommand -a ${name} -d '${summary}'`,
      ),
      ...commands
        .filter(({ children }) => children.length > 0)
        .map(
          ({ name, children }) =>
            `complete -c billing -n '__fish_seen_subcommand_from ${name}' -a '${children.join(' ')}'`,
        ),
    ].join('\n'),
};

function bashScript(commands: readonly Completed[]): string {
  const cases = commands
    .filter(({ children }) => children.length > 0)
    .map(({ name, children }) => `    ${name}) words="${children.join(' ')}" ;;`);
  return `
_billing() {
  local words="${commands.map(({ name }) => name).join(' ')}"
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _billing billing`;
}
