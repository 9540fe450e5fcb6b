import 'reflect-metadata';
import { Controller, Get, Module, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import pg from 'pg';

// The floors of userinfo and of discovery: what Nest on Fastify costs with one prepared, indexed select and nothing
// else, and with bytes that are there already.
// Plain JavaScript, so the decorators are called by hand.

const bodies = JSON.parse(process.env.FLOOR_BODIES ?? '[]');
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

class FloorController {
  async read(reply) {
    const { rows } = await pool.query({
      name: 'floor',
      text: 'SELECT id, org_id, user_name, state FROM users WHERE id = $1',
      values: [process.env.FLOOR_USER],
    });
    reply.send({ sub: rows[0].id, name: rows[0].user_name });
  }

  first(reply) {
    sendBytes(reply, bodies[0]);
  }

  second(reply) {
    sendBytes(reply, bodies[1]);
  }
}

function sendBytes(reply, body) {
  reply.header('content-type', 'application/json; charset=utf-8').send(body);
}

Controller()(FloorController);
for (const [path, method] of [
  ['floor', 'read'],
  ['bytes/0', 'first'],
  ['bytes/1', 'second'],
]) {
  const { prototype } = FloorController;
  Get(path)(prototype, method, Object.getOwnPropertyDescriptor(prototype, method));
  Res()(prototype, method, 0);
}

// oxlint-disable-next-line no-extraneous-class -- a Nest module is one
class FloorModule {}
Module({ controllers: [FloorController] })(FloorModule);

const app = await NestFactory.create(FloorModule, new FastifyAdapter(), { logger: false });
await app.listen(Number(process.env.PORT), '127.0.0.1');
process.send?.('ready');
process.on('SIGTERM', () => process.exit(0));
