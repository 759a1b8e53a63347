/** Placeholder of lines that are loading; screen readers announce `label`. */
export function Skeleton({ label, rows = 3 }: { label: string; rows?: number | undefined }) {
  return (
    <div className="skeleton" role="status">
      <span className="unseen">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className="skeleton-line" aria-hidden="true" />
      ))}
    </div>
  );
}

/** Placeholder of a name that is loading. */
export function NameSkeleton() {
  return <span className="skeleton-line skeleton-name" aria-hidden="true" />;
}
