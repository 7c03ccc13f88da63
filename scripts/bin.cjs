#!/usr/bin/env node
// The file behind `baton`. Any Node can parse it, so that one too old gets a sentence instead of a stack trace.
"use strict";

var version = process.versions.node;

if (parseInt(version, 10) < 24) {
  var problem = "baton needs Node 24 or newer; this is Node v" + version + ". ";
  process.stderr.write(problem + "Install a newer one from https://nodejs.org\n");
  process.exitCode = 3;
} else {
  // Keeps compiled code between runs; NODE_DISABLE_COMPILE_CACHE=1 turns it off.
  var nodeModule = require("node:module");
  if (typeof nodeModule.enableCompileCache === "function") nodeModule.enableCompileCache();
  require("./main.cjs");
}
