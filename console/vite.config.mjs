import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  publicDir: false,
  resolve: { tsconfigPaths: false },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    // every style and icon is a file of ours: the page's policy takes no other
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rollupOptions: {
      input: 'src/main.ts',
      // packages mark what may run in a browser, which is all of this
      onLog(level, log, handle) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
});
