INSERT INTO stored_records (id, uid, time, kind, level, tag, message, module, attributes, context, session, installation, trace_id, span_id, parent_span_id, duration, file, function, line, version, device) VALUES
(1,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-1',1763683260000000000,'event',9,'recipe.show',NULL,'Kitchen','{"recipe_id":42,"title":"卵かけごはん","mail":"ann@example.com"}','{"service.version":"1.0","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-1','phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1.0','iPhone17,1'),
(2,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-2',1763683320000000000,'event',9,'recipe.show',NULL,'Kitchen','{"recipe_id":9007199254740993,"title":"Omelette \\"plain\\"","mail":"bob@example.com"}','{"service.version":"1.0","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-1','phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1.0','iPhone17,1'),
(3,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-3',1763683380000000000,'message',13,'kitchen.oven','オーブンが熱い: too hot','Kitchen','{"degrees":260}','{"service.version":"1.0","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-1','phone-1',NULL,NULL,NULL,NULL,'Kitchen/Oven.swift','heat()',12,'1.0','iPhone17,1'),
(4,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-4',1763683440000000000,'error',17,'kitchen.oven','could not bake','Kitchen','{"exception.type":"OvenError","code":7}','{"service.version":"1.0","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-1','phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1.0','iPhone17,1'),
(5,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-5',1763683500000000000,'span',9,'recipe.load',NULL,'Kitchen','{"cold":true}','{"service.version":"1.1","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-2','phone-1','4bf92f3577b34da6a3ce929d0e0e4736','00f067aa0ba902b7',NULL,1234567890,NULL,NULL,NULL,'1.1','iPhone17,1');

INSERT INTO stored_records (id, uid, time, kind, level, tag, message, module, attributes, context, session, installation, trace_id, span_id, parent_span_id, duration, file, function, line, version, device) VALUES
(6,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-8',1763683680000000000,'request',9,'network',NULL,'Kitchen','{"http.request.method":"GET","url.full":"https://example.com/recipes/42","http.response.status_code":200}','{"service.version":"1.1","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-2','phone-1','4bf92f3577b34da6a3ce929d0e0e4736','b7ad6b7169203331','00f067aa0ba902b7',1234567890,NULL,NULL,NULL,'1.1','iPhone17,1'),
(7,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-9',1763683740000000000,'event',9,'recipe.save',NULL,'Kitchen','{"recipe_id":42,"share":0.5}','{"service.version":"1.1","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-2','phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1.1','iPhone17,1'),
(8,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-9/violation/0',1763683800000000000,'event',13,'daybook.violation',NULL,'Kitchen','{"event":"recipe.save","violation":"undefined_column","count":1,"message":"`share` is not defined","example":"a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-9","column":"share"}','{"service.version":"1.1","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1.1','iPhone17,1'),
(9,'run-1',1763683860000000000,'run',9,'checklist.start',NULL,'Kitchen','{"checklist":"Recipes","run":"r1","tester":"Ann"}','{"service.version":"1.0","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}',NULL,'phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1.0','iPhone17,1'),
(10,'run-2',1763683920000000000,'run',9,'checklist.finish',NULL,'Kitchen','{"checklist":"Recipes","run":"r1"}','{"service.version":"1.0","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}',NULL,'phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1.0','iPhone17,1');

INSERT INTO stored_records (id, uid, time, kind, level, tag, message, module, attributes, context, session, installation, trace_id, span_id, parent_span_id, duration, file, function, line, version, device) VALUES
(11,'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-9',1763683740000000000,'event',9,'recipe.save',NULL,'Kitchen','{"recipe_id":42,"share":0.5}','{"service.version":"1.1","service.name":"recipes","os.name":"iOS","os.version":"18.1","device.model.identifier":"iPhone17,1","country":"JP"}','visit-2','phone-1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1.1','iPhone17,1');

INSERT INTO claims (commit, part, stream, lower, upper, afters, throughs, sequences, first_id, last_id, received, kept, told_sender, told_installation, told_version, reasons, lost, done, at) VALUES
('5eed-1', 0, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 0, 5, [], [], [1, 2, 3, 4, 5], 1, 5, 0, 0, NULL, 'phone-1', '1.0', [], [], 0, '2025-11-21 00:15:01'),
('5eed-1', 0, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 0, 5, [0], [5], [1, 2, 3, 4, 5], 1, 5, 5, 5, NULL, 'phone-1', '1.0', [], [], 1, '2025-11-21 00:15:01'),
('2bad-1', 0, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 7, 8, [], [], [8], 9, 9, 0, 0, NULL, 'phone-1', '1.1', [], [], 0, '2025-11-21 00:15:02'),
('2bad-1', 0, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 7, 8, [], [], [], 9, 9, 0, 0, NULL, 'phone-1', '1.1', [], [], 1, '2025-11-21 00:15:02');

INSERT INTO claims (commit, part, stream, lower, upper, afters, throughs, sequences, first_id, last_id, received, kept, told_sender, told_installation, told_version, reasons, lost, done, at) VALUES
('5eed-2', 0, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 7, 9, [], [], [8, 9], 6, 7, 0, 0, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-collector', 'phone-1', '1.1', ['overflow'], [3], 0, '2025-11-21 00:15:03'),
('5eed-2', 0, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 7, 9, [7], [9], [8, 9], 6, 7, 2, 2, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718-collector', 'phone-1', '1.1', ['overflow'], [3], 1, '2025-11-21 00:15:03'),
('5eed-3', 0, '', 0, 0, [], [], [0], 8, 8, 0, 0, NULL, NULL, NULL, [], [], 0, '2025-11-21 00:15:04'),
('5eed-3', 0, '', 0, 0, [], [], [0], 8, 8, 1, 1, NULL, NULL, NULL, [], [], 1, '2025-11-21 00:15:04'),
('5eed-4', 0, '', 0, 0, [], [], [0, 0], 9, 10, 0, 0, NULL, NULL, NULL, [], [], 0, '2025-11-21 00:15:05'),
('5eed-4', 0, '', 0, 0, [], [], [0, 0], 9, 10, 2, 2, NULL, NULL, NULL, [], [], 1, '2025-11-21 00:15:05'),
('5eed-5', 0, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 0, 5, [0], [5], [], 0, 0, 5, 0, NULL, 'phone-1', '1.0', [], [], 1, '2025-11-21 00:15:06'),
('3dad-1', 0, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 8, 9, [], [], [9], 11, 11, 0, 0, NULL, 'phone-1', '1.1', [], [], 0, '2025-11-21 00:15:02'),
('3dad-2', 0, 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 5, 6, [], [], [6], 12, 12, 0, 0, NULL, 'phone-1', '1.1', [], [], 0, '2025-11-21 00:15:07');

INSERT INTO contests (stream, sequence, id, commit) VALUES
('a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 8, 6, '5eed-2'),
('a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 8, 9, '2bad-1'),
('a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 9, 7, '5eed-2'),
('a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718', 9, 11, '3dad-1');
