import { DIALECT_NAMES } from "../../protocol/handoff-words.ts";
import { readyNames } from "../../runtime/operations/load-workflow.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import { SCHEMA_NAMES } from "./schema.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export const command: Command = {
  name: "completion",
  summary: "Print the completion script for a shell",
  usage: "bash|zsh|fish",
  details: [
    "bash: source <(baton completion bash)",
    "zsh:  mkdir -p ~/.zfunc && baton completion zsh > ~/.zfunc/_baton",
    "      and in ~/.zshrc: fpath+=(~/.zfunc); autoload -Uz compinit; compinit",
    "fish: mkdir -p ~/.config/fish/completions && baton completion fish > ~/.config/fish/completions/baton.fish",
  ],
  options: { ...HELP_OPTION },
  run: completion,
};

async function completion(
  invocation: Invocation,
  terminal: Terminal,
  loadCommands: () => Promise<readonly Command[]>,
): Promise<number> {
  const shell = SHELLS.find((name) => name === invocation.operands[0]);
  if (shell === undefined) throw usage(command, `Name the shell: ${SHELLS.join(", ")}.`);
  const commands = await loadCommands();
  terminal.out({ bash, zsh, fish }[shell](commands));
  return EXIT.fine;
}

/** What can be written for an operand that is no file. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  schema: SCHEMA_NAMES,
  instructions: DIALECT_NAMES,
  check: readyNames(),
  run: readyNames(),
  completion: SHELLS,
};

function words(each: Command): string {
  const options = Object.keys(each.options).map((option) => `--${option}`);
  return [...(each.subcommands ?? []), ...options, ...(OPERANDS[each.name] ?? [])].join(" ");
}

/** Of each option that has them, the words that this command takes for it. */
function chosenWords(commands: readonly Command[], line: (place: string, choices: string) => string): string {
  const lines = commands.flatMap((each) =>
    Object.entries(each.options).flatMap(([name, { offered, choices = offered }]) =>
      choices === undefined ? [] : [line(`"${each.name} --${name}"`, choices.join(" "))],
    ),
  );
  return lines.join("\n");
}

/** Words that the command line itself takes, beside the commands. */
const HELP_AND_VERSION = [
  { name: "help", summary: "Show the help, or that of a command" },
  { name: "version", summary: "Print the version" },
] as const;

function namesOf(commands: readonly { readonly name: string }[]): string {
  return commands.map(({ name }) => name).join(" ");
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map((each) => `    ${each.name}) words="${words(each)}" ;;`).join("\n");
  return `_baton() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${namesOf([...commands, ...HELP_AND_VERSION])}" -- "$current")); return
  fi
  case "\${COMP_WORDS[1]} $previous" in
${chosenWords(commands, (place, choices) => `    ${place}) COMPREPLY=($(compgen -W "${choices}" -- "$current")); return ;;`)}
    "help help") COMPREPLY=($(compgen -W "${namesOf(commands)}" -- "$current")); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  local IFS=$'\\n'
  COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _baton baton
`;
}

function zsh(commands: readonly Command[]): string {
  const names = [...commands, ...HELP_AND_VERSION].map((each) => `    '${each.name}:${unquoted(each.summary)}'`);
  const cases = commands.map((each) => `    ${each.name}) compadd -- ${words(each)}; _files ;;`).join("\n");
  return `#compdef baton
_baton() {
  local -a commands=(
${names.join("\n")}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case "$words[2] $words[CURRENT-1]" in
${chosenWords(commands, (place, choices) => `    ${place}) compadd -- ${choices}; return ;;`)}
    "help help") compadd -- ${namesOf(commands)}; return ;;
  esac
  case "$words[2]" in
${cases}
  esac
}
_baton "$@"
`;
}

/** Its own condition: fish asks whether a word stands anywhere, and `verify` stands in `baton audit verify`, too. */
const FISH_CONDITION = `function __baton_runs
  set -l given (commandline -opc)
  test (count $given) -gt 1; and test $given[2] = $argv[1]
end`;

function fish(commands: readonly Command[]): string {
  const names = [...commands, ...HELP_AND_VERSION].map(
    ({ name, summary }) => `complete -c baton -n __fish_use_subcommand -f -a ${name} -d '${unquoted(summary)}'`,
  );
  const lines = commands.flatMap((each) => [
    ...[each.subcommands, OPERANDS[each.name]].flatMap((given) =>
      given === undefined ? [] : [`complete -c baton -n '__baton_runs ${each.name}' -a '${given.join(" ")}'`],
    ),
    ...Object.entries(each.options).map(([name, option]) => {
      const offered = option.choices ?? option.offered;
      const choices = offered === undefined ? "" : ` -xa '${offered.join(" ")}'`;
      const value = option.value !== undefined && choices === "" ? " -r" : choices;
      return `complete -c baton -n '__baton_runs ${each.name}' -l ${name}${value} -d '${unquoted(option.about)}'`;
    }),
  ]);
  const help = `complete -c baton -n '__baton_runs help' -f -a '${namesOf(commands)}'`;
  return `${[FISH_CONDITION, ...names, ...lines, help].join("\n")}\n`;
}

function unquoted(text: string): string {
  return text.replaceAll("'", "");
}
