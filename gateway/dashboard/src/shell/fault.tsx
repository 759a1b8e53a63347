import { Component, type ReactNode } from 'react';
import { Button } from '../parts/buttons';
import { ErrorNotice } from '../parts/notices';
import { isMissingFile } from './missing-file';

const notLoaded = new Error(
  'There is no connection, or the dashboard was updated and this one is too old',
);

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
        <h1>{isMissingFile(error) ? 'This page could not be loaded' : 'This page is broken'}</h1>
        <ErrorNotice error={isMissingFile(error) ? notLoaded : error} />
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
