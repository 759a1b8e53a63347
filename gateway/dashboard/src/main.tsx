import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { newQueryClient } from './api/queries';
import { App } from './shell/app';
import './shell/style.css';
import { showTheme } from './shell/theme';

showTheme();
const place = document.getElementById('root');
if (place === null) throw new Error('The page has no root element');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={newQueryClient()}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
