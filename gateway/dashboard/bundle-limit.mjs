import { gzipSync } from 'node:zlib';

/**
 * Fails the build if a first page load is too large: the gzipped size of the page, the shell and
 * their imports. The largest page counts.
 */
export function bundleLimit({ firstLoadBytesMax }) {
  return {
    name: 'bundle-limit',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
      const entry = chunks.find(({ isEntry }) => isEntry);
      const pages = chunks.filter(({ isDynamicEntry }) => isDynamicEntry);
      const loads = pages.map((page) => {
        const files = filesOf([entry, page], bundle);
        const bytes = [...files].reduce((sum, file) => sum + gzippedBytes(bundle[file]), 0);
        return { name: page.name, bytes };
      });
      const [largest] = loads.sort((one, other) => other.bytes - one.bytes);
      const message = `${(largest.bytes / 1000).toFixed(1)} kB gzipped at first load (${largest.name})`;
      if (largest.bytes > firstLoadBytesMax) {
        this.error(`${message}: the limit is ${firstLoadBytesMax / 1000} kB`);
      }
      this.info(message);
    },
  };
}

/** Chunks and styles that these chunks need before they can run. */
function filesOf(chunks, bundle, found = new Set()) {
  for (const chunk of chunks) {
    if (chunk === undefined || found.has(chunk.fileName)) continue;
    found.add(chunk.fileName);
    for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
    filesOf(
      chunk.imports.map((file) => bundle[file]),
      bundle,
      found,
    );
  }
  return found;
}

function gzippedBytes(file) {
  if (file === undefined) return 0;
  return gzipSync(file.type === 'chunk' ? file.code : file.source, { level: 9 }).length;
}
