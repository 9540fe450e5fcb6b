// Writes dist/openapi.json, the document that the compiled API serves at /openapi.json. Nothing is connected to: Nest looks
// at the modules and makes none of their classes.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

const root = path.resolve(import.meta.dirname, '..');
const modules = path.join(root, 'dist', 'modules', 'src');
const { ApiModule } = await import(path.join(modules, 'api.module.js'));
const { readConfig } = await import(path.join(modules, 'config', 'config.js'));
const { openApiDocument } = await import(path.join(modules, 'http', 'openapi', 'document.js'));

const config = readConfig({ NODE_ENV: 'test' });
const log = { debug() {}, info() {}, warn() {}, error() {} };
const app = await NestFactory.create(ApiModule.with(config, log), new FastifyAdapter(), {
  preview: true,
  logger: false,
  abortOnError: false,
});
const document = await openApiDocument(app, config.issuer.url, '1.0.0');
writeFileSync(path.join(root, 'dist', 'openapi.json'), `${JSON.stringify(document)}\n`);
