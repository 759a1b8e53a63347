// Starts the reference with everything off that talks to another origin.
Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  // Requests go where the page comes from: no other address would be permitted.
  servers: [{ url: location.origin }],
  proxyUrl: '',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  hideDarkModeToggle: true,
  showDeveloperTools: 'never',
  theme: 'none',
});
