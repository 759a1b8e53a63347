import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Effort, FigureTable, Findings } from './bench';
import type { Comparison, SideFigures } from '../figures/comparison';
import { type Demand, percent, type Sample } from '../figures/statistics';

/** The circumstances of the measurement, without which the figures mean nothing. */
export interface Circumstances {
  readonly commit: string;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly servers: Readonly<Record<string, string>>;
  readonly effort: Effort;
  readonly loadBefore: number;
}

export function readCircumstances(options: {
  root: string;
  servers: Readonly<Record<string, string>>;
  effort: Effort;
  loadBefore: number;
}): Circumstances {
  const { root, ...given } = options;
  const [first] = cpus();
  return {
    commit: commitOf(root),
    node: process.version,
    cpu: first?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    ...given,
  };
}

/** The report as text, for standard output. */
export function toText(findings: readonly Findings[], circumstances: Circumstances): string {
  const { commit, node, cores, cpu, memoryGb, servers, loadBefore } = circumstances;
  const comparisons = findings.flatMap((one) => one.comparisons ?? []);
  const figures = findings.flatMap((one) => [...(one.figures ?? []), ...(one.counts ?? [])]);
  const machine = `${String(cores)} × ${cpu}, ${String(memoryGb)} GB, Node ${node}, ${Object.values(servers).join(', ')}`;
  return [
    `Commit ${commit} on ${machine}; load before: ${round(loadBefore)}`,
    ...(comparisons.length > 0 ? [comparisonTable(comparisons), ...comparisons.map(details)] : []),
    ...figures.map(figureTable),
    '',
  ].join('\n\n');
}

/** The report as JSON, in the same folder as earlier ones. */
export function writeJson(
  folder: string,
  findings: readonly Findings[],
  circumstances: Circumstances,
): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${circumstances.commit}.json`);
  writeFileSync(file, `${JSON.stringify({ circumstances, findings }, undefined, 2)}\n`);
  return file;
}

function comparisonTable(comparisons: readonly Comparison[]): string {
  const columns = ['', 'what', 'unit', 'ours', 'floor', 'ratio', 'CPU ratio', 'demand', 'verdict'];
  const rows = comparisons.map((one) => [
    one.id,
    one.title,
    one.unit,
    spread(one.ours.perSecond, 0),
    spread(one.floor.perSecond, 0),
    spread(one.ratio, 2),
    round(one.cpuRatio),
    demandText(one.demand),
    one.verdict,
  ]);
  return table(columns, rows);
}

export function demandText(demand: Demand | undefined): string {
  if (demand === undefined) return '';
  return 'atLeast' in demand ? `≥ ${String(demand.atLeast)}` : `≤ ${String(demand.atMost)}`;
}

function details({ id, ours, floor, generatorCpu }: Comparison): string {
  const generator = generatorCpu > 0 ? `; generator at ${percent(generatorCpu)} CPU` : '';
  return [`${id}${generator}`, ...[ours, floor].map((side) => `  ${sideText(side)}`)].join('\n');
}

function sideText({ name, cpuMs, latencyMs }: SideFigures): string {
  // Less than a hundredth of a millisecond is background activity.
  const cpu = Object.entries(cpuMs)
    .filter(([, ms]) => ms >= 0.005)
    .map(([process, ms]) => `${process} ${ms.toFixed(3)}`);
  const latency = Object.entries(latencyMs ?? {}).map(([name, ms]) => `${name} ${String(ms)}`);
  const parts = [`CPU ms each: ${cpu.join(', ')}`];
  if (latency.length > 0) parts.push(`latency ms: ${latency.join(', ')}`);
  return `${name}: ${parts.join('; ')}`;
}

function figureTable({ title, columns, rows }: FigureTable): string {
  return `${title}\n\n${table(columns, rows)}`;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, index) => (cells[index] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(columns), rule, ...rows.map(line)].join('\n');
}

function spread({ median, min, max }: Sample, digits: number): string {
  const [middle, low, high] = [median, min, max].map((value) => value.toFixed(digits));
  return `${String(middle)} (${String(low)}–${String(high)})`;
}

function round(value: number): string {
  return value.toFixed(2);
}

function commitOf(root: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  try {
    const commit = git('rev-parse', '--short=12', 'HEAD').trim();
    return git('status', '--porcelain').trim() === '' ? commit : `${commit}-changed`;
  } catch {
    // Not a git working copy.
    return 'unversioned';
  }
}
