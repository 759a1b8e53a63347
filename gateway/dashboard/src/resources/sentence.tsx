import { Link } from 'wouter';
import type { Phrase } from './audit-sentence';

/** A sentence with links. */
export function Sentence({ of }: { of: readonly Phrase[] }) {
  const parts = of.map((phrase, index) =>
    typeof phrase === 'string' ? (
      phrase
    ) : (
      <Link key={`${phrase.href} ${String(index)}`} href={phrase.href}>
        {phrase.text}
      </Link>
    ),
  );
  return <span className="sentence">{parts}</span>;
}
