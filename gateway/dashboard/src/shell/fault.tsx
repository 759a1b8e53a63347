import { Component, type ReactNode } from 'react';
import { Button } from '../parts/buttons';
import { ErrorNotice } from '../parts/notices';

interface State {
  readonly error: Error | undefined;
}

/** Where a page breaks, the rest of the dashboard stays. */
export class Fault extends Component<{ children: ReactNode }, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <>
        <h1>This page is broken</h1>
        <ErrorNotice error={error} />
        <Button
          onClick={() => {
            window.location.reload();
          }}
        >
          Load it again
        </Button>
      </>
    );
  }
}
